"""An examination: is everything as it must be, and if not, what is to be done?"""

from headrace.service.doctor.finding import Finding
from headrace.service.doctor.run import Target, examine

__all__ = ["Finding", "Target", "examine"]
