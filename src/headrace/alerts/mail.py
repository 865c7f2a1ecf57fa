"""E-mail over SMTP, in a thread, for `smtplib` waits."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import formatdate, parseaddr
from uuid import UUID

from headrace.alerts.sent import NotSent, Sent
from headrace.config import SmtpSettings
from headrace.model.alert.notice import Message


async def send_mail(to: Sequence[str], message: Message, smtp: SmtpSettings, *, notice_id: UUID) -> Sent:
    """Send it to all, or `NotSent`."""
    if smtp.host is None or smtp.sender is None:
        raise NotSent("this worker cannot send mail: set smtp.host and smtp.sender in its headrace.toml")
    mail = _compose(to, message, smtp.sender, notice_id)
    try:
        refused = await asyncio.to_thread(_send, mail, smtp)
    except smtplib.SMTPRecipientsRefused as error:
        raise NotSent(f"refused for {', '.join(error.recipients)}: {_words(error.recipients)}") from None
    except smtplib.SMTPResponseException as error:
        words = error.smtp_error
        said = words.decode("utf-8", "replace") if isinstance(words, bytes) else str(words)
        raise NotSent(f"{smtp.host} answered {error.smtp_code}: {said}", status_code=error.smtp_code) from None
    except (smtplib.SMTPException, OSError) as error:
        raise NotSent(f"{smtp.host}:{smtp.port}: {type(error).__name__}: {error}") from None
    if refused:
        raise NotSent(f"refused for {', '.join(refused)}: {_words(refused)}")
    return Sent(f"accepted by {smtp.host} for {', '.join(to)}")


def _compose(to: Sequence[str], message: Message, sender: str, notice_id: UUID) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = sender
    mail["To"] = ", ".join(to)
    mail["Subject"] = message.title
    mail["Date"] = formatdate()
    # The same each time it is tried, so that whoever gets it twice can tell.
    mail["Message-ID"] = f"<{notice_id}@{parseaddr(sender)[1].rpartition('@')[2] or 'headrace'}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail["Headrace-Notice-Id"] = str(notice_id)
    mail.set_content(message.text)
    return mail


def _send(mail: EmailMessage, smtp: SmtpSettings) -> dict[str, tuple[int, bytes]]:
    host, context = smtp.host or "", _context(smtp)
    connect = (
        smtplib.SMTP_SSL(host, smtp.port, timeout=smtp.timeout_s, context=context)
        if smtp.security == "tls"
        else smtplib.SMTP(host, smtp.port, timeout=smtp.timeout_s)
    )
    with connect as server:
        if smtp.security == "starttls":
            server.starttls(context=context)
        if smtp.user is not None:
            server.login(smtp.user, smtp.password or "")
        return server.send_message(mail)


def _context(smtp: SmtpSettings) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=None if smtp.tls_ca is None else str(smtp.tls_ca))


def _words(refused: dict[str, tuple[int, bytes]]) -> str:
    return "; ".join(f"{code} {words.decode('utf-8', 'replace')}" for code, words in refused.values())
