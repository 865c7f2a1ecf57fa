"""Sending by itself: to a real server, and not to where nothing may be sent."""

from __future__ import annotations

import asyncio
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.alerts.receiving import hook, listening, mailbox

from headrace.alerts.mail import send_mail
from headrace.alerts.sent import NotSent, Sent
from headrace.alerts.webhook import post
from headrace.config import SmtpSettings
from headrace.model.alert.notice import Message
from headrace.model.alert.web_address import NOTHING, Allowed

HERE = Allowed(hosts=("127.0.0.1",))
MESSAGE = Message("[headrace] acme: 1 job of “work” died", "1 job died.\n.\nlast line\n")
ID = UUID(int=1)


async def test_a_webhook_is_posted_with_its_headers_and_the_name_it_was_given() -> None:
    async with hook() as receiver:
        sent = await post(
            f"{receiver.url}?a=b", b'{"a": 1}', {"Content-Type": "application/json"}, allowed=HERE, within=5
        )
        (request,) = receiver.requests
    assert sent.status_code == 204
    assert request.path == "/hook?a=b"
    assert request.body == b'{"a": 1}'
    assert request.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert request.headers["user-agent"].startswith("headrace/")


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "[::1]", "0.0.0.0", "2130706433", "169.254.169.254", "localhost", "[::ffff:127.0.0.1]"],  # noqa: S104
)
async def test_what_leads_inside_is_not_called(host: str) -> None:
    async with hook() as receiver:
        with pytest.raises(NotSent, match=r"notices are not sent to|is another way to write 127.0.0.1: "):
            await post(f"http://{host}:{receiver.port}/", b"{}", {}, allowed=NOTHING, within=5)
    assert receiver.requests == []


async def answering(monkeypatch: pytest.MonkeyPatch, **names: list[str]) -> list[str]:
    """Have names stand for addresses; gives the names that were asked for."""
    asked: list[str] = []

    async def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        found = names.get(host.replace(".", "_").replace("-", "_"), [host])
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in found]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize("ips", [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["169.254.169.254"]])
async def test_a_name_that_stands_for_an_inner_address_is_not_called(
    monkeypatch: pytest.MonkeyPatch, ips: list[str]
) -> None:
    async with hook() as receiver:
        await answering(monkeypatch, evil_example=ips)
        with pytest.raises(NotSent, match=r"notices are not sent to evil\.example \("):
            await post(f"http://evil.example:{receiver.port}/", b"{}", {}, allowed=NOTHING, within=5)
    assert receiver.requests == []


async def test_a_name_is_looked_up_once_and_the_address_that_was_checked_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with hook() as receiver:
        asked = await answering(monkeypatch, hooks_example=["127.0.0.1"])
        await post(f"http://hooks.example:{receiver.port}/", b"{}", {}, allowed=HERE, within=5)
    assert asked.count("hooks.example") == 1
    assert receiver.requests[0].headers["host"] == f"hooks.example:{receiver.port}"


def certificate(folder: Path, name: str) -> Path:
    """A file with a key, and a certificate for a name that it signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "certificate.pem"
    plain = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(plain + signed.public_bytes(serialization.Encoding.PEM))
    return file


async def test_over_https_the_certificate_must_be_of_the_name_and_not_of_the_address(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = certificate(tmp_path, "hooks.example")
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(file)
    async with hook(tls) as receiver:
        await answering(monkeypatch, hooks_example=["127.0.0.1"], other_example=["127.0.0.1"])

        async def send(name: str, tls_ca: Path | None) -> Sent:
            url = f"https://{name}:{receiver.port}/"
            return await post(url, b"{}", {}, allowed=HERE, within=5, tls_ca=tls_ca)

        assert (await send("hooks.example", file)).status_code == 204
        with pytest.raises(NotSent, match="certificate"):
            await send("other.example", file)
        with pytest.raises(NotSent, match="certificate"):
            await send("hooks.example", None)
    assert len(receiver.requests) == 1


async def test_where_nobody_is_at_the_first_address_the_next_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hook() as receiver:
        await answering(monkeypatch, hooks_example=["127.0.0.2", "127.0.0.1"])
        allowed = Allowed(hosts=("127.0.0.0/8",))
        await post(f"http://hooks.example:{receiver.port}/", b"{}", {}, allowed=allowed, within=5)
    assert len(receiver.requests) == 1


async def test_a_redirect_is_not_followed() -> None:
    async with hook() as receiver:
        receiver.answers = [(302, {"Location": f"http://127.0.0.1:{receiver.port}/inside"}, b"")]
        with pytest.raises(NotSent, match="answered 302: redirects are not followed") as refused:
            await post(receiver.url, b"{}", {}, allowed=HERE, within=5)
    assert [request.path for request in receiver.requests] == ["/hook"]
    assert refused.value.status_code == 302


async def test_of_a_long_answer_only_the_beginning_is_kept() -> None:
    async with hook() as receiver:
        receiver.answers = [(500, {}, b"no " * 100_000)]
        with pytest.raises(NotSent, match="answered 500: no no") as refused:
            await post(receiver.url, b"{}", {}, allowed=HERE, within=5)
    assert len(str(refused.value)) < 1100


async def test_a_server_that_says_nothing_is_waited_for_only_so_long() -> None:
    silent = asyncio.Event()

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await silent.wait()
        writer.close()

    async with listening(serve) as port:
        with pytest.raises(NotSent, match=r"no answer within 0\.2 s"):
            await post(f"http://127.0.0.1:{port}/", b"{}", {}, allowed=HERE, within=0.2)
        silent.set()


async def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(NotSent, match="ConnectError"):
            await post(f"http://127.0.0.1:{free.getsockname()[1]}/", b"{}", {}, allowed=HERE, within=5)


async def test_mail_arrives_as_it_was_written() -> None:
    async with mailbox() as box:
        smtp = SmtpSettings(
            host="127.0.0.1",
            port=box.port,
            security="none",
            sender="Headrace <jobs@example.com>",
            user="u",
            password="p",
        )
        await send_mail(["ann@example.com", "bob@example.com"], MESSAGE, smtp, notice_id=ID)
        (mail,) = box.mails
    assert mail["Subject"] == MESSAGE.title
    assert mail["To"] == "ann@example.com, bob@example.com"
    assert mail["From"] == "Headrace <jobs@example.com>"
    assert mail["Headrace-Notice-Id"] == str(ID)
    assert mail.get_content() == MESSAGE.text
    assert mail.get_content_type() == "text/plain"
    assert mail["Message-ID"] == f"<{ID}@example.com>"
    assert len(box.logins) == 1


async def test_a_refused_mail_says_for_whom_and_why() -> None:
    async with mailbox() as box:
        box.refusals = ["550 no such user"]
        smtp = SmtpSettings(host="127.0.0.1", port=box.port, security="none", sender="jobs@example.com")
        with pytest.raises(NotSent, match=r"refused for ann@example\.com: 550 no such user"):
            await send_mail(["ann@example.com"], MESSAGE, smtp, notice_id=ID)


async def test_a_server_without_encryption_is_not_spoken_to_where_that_is_wanted() -> None:
    async with mailbox() as box:
        smtp = SmtpSettings(host="127.0.0.1", port=box.port, sender="jobs@example.com")
        with pytest.raises(NotSent, match="STARTTLS"):
            await send_mail(["ann@example.com"], MESSAGE, smtp, notice_id=ID)
    assert box.mails == []


async def test_without_a_server_the_sentence_says_what_to_set() -> None:
    with pytest.raises(NotSent, match=r"set smtp\.host and smtp\.sender"):
        await send_mail(["ann@example.com"], MESSAGE, SmtpSettings(), notice_id=ID)
