"""Whose jobs there are, who may do what, who did what, and whether all is well."""

from __future__ import annotations

from tests.cli.every.entry import Entry

TENANT = "name title limits weight paused created_at"
TOKEN = "id name role tenant queues expires_at"

ADMIN = {
    "tenants list": Entry("default", "--limit 0", 2, "--limit", TENANT),
    "tenants show": Entry("default", "nobody", 3, 'unknown tenant "nobody": see headrace tenants list', TENANT),
    "tenants create": Entry("created tenant acme", "'No Name!'", 2, "name", TENANT, program="tenants create other"),
    "tenants update": Entry("no limit", "default --max-queued many", 2, "--max-queued is a whole number", TENANT),
    "tenants pause": Entry(
        "tenant default is paused", "nobody", 3, 'unknown tenant "nobody"', TENANT, after=("tenants resume default",)
    ),
    "tenants resume": Entry("tenant default is resumed", "nobody", 3, 'unknown tenant "nobody"', TENANT),
    "tokens list": Entry("ops", "--limit 0", 2, "--limit", TOKEN, before=("tokens create ops --role worker",)),
    "tokens create": Entry("hr_", "x --role king", 2, "--role", f"{TOKEN} token", after=("tokens revoke ci --yes",)),
    "tokens revoke": Entry(
        "revoked token ci",
        "nobody --yes",
        3,
        "unknown token 'nobody'",
        TOKEN,
        before=("tokens create ci --role worker",),
    ),
    "audit list": Entry(
        "tokens.change",
        "--since yore",
        2,
        "--since",
        "at who action target detail",
        before=("tokens create audited --role worker", "tokens revoke audited --yes"),
    ),
    "doctor": Entry("ok ", "--nothing", 2, "No such option", "check state detail do"),
}
