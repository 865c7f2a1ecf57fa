"""Every verb of the control plane, for one principal."""

from __future__ import annotations

from headrace.service.all_jobs import AllJobs
from headrace.service.audit import Audit
from headrace.service.charts import Charts
from headrace.service.definitions import Definitions
from headrace.service.door import House
from headrace.service.events import Events
from headrace.service.jobs import Jobs
from headrace.service.logs import Logs
from headrace.service.metrics import Metrics
from headrace.service.operations import Operations
from headrace.service.principal import SYSTEM, Principal
from headrace.service.queues import Queues
from headrace.service.stream import Stream
from headrace.service.tenants import Tenants
from headrace.service.tokens import Tokens
from headrace.service.triggers import Triggers
from headrace.service.worker_protocol import Work
from headrace.service.workers import Workers


class Service:
    """`service.jobs.list(…)`, `service.tokens.create(…)`, and so on."""

    def __init__(self, house: House, principal: Principal = SYSTEM) -> None:
        self.house = house
        self.principal = principal
        self.jobs = Jobs(house, principal)
        self.triggers = Triggers(house, principal)
        self.definitions = Definitions(house, principal)
        self.events = Events(house, principal)
        self.logs = Logs(house, principal)
        self.operations = Operations(house, principal)
        self.tokens = Tokens(house, principal)
        self.work = Work(house, principal)
        self.tenants = Tenants(house, principal)
        self.audit = Audit(house, principal)
        self.workers = Workers(house, principal)
        self.queues = Queues(house, principal)
        self.all_jobs = AllJobs(house, principal)
        self.metrics = Metrics(house, principal)
        self.stream = Stream(house, principal)
        self.charts = Charts(house, principal)
