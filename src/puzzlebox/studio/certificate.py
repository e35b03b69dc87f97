"""Checks the certificate of an encrypted studio before the server uses it."""

import ssl
from contextlib import suppress
from pathlib import Path

_NOT_YET_VALID, _EXPIRED = 9, 10  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
_OTHER_HOST = (62, 64)  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH


class CertificateError(Exception):
    """A certificate cannot be used; the text is one sentence that says why."""


def check_certificate(certificate: Path, key: Path) -> None:
    """Check that a server can use a certificate and its key.

    Args:
        certificate: a PEM file with the certificate, and the intermediate ones up to its authority.
        key: a PEM file with its private key, without a password.

    Raises:
        CertificateError: the server cannot use them.
    """
    for path in (certificate, key):
        try:
            text = path.read_bytes()
        except OSError as problem:
            raise CertificateError(f"{path} cannot be read: {problem.strerror}") from None
        label, what = (b"CERTIFICATE", "certificate") if path is certificate else (b"PRIVATE KEY", "private key")
        if label not in text:
            raise CertificateError(f"{path} holds no {what} in PEM form (a text with '-----BEGIN ...')")
    password_requests = []
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        server.load_cert_chain(certificate, key, lambda: password_requests.append(True) or "")  # type: ignore[func-returns-value]
    except ssl.SSLError as problem:
        if password_requests:
            reason = f"{key} is protected by a password; `openssl pkey -in {key.name} -out open.pem` writes one without"
        elif problem.reason == "KEY_VALUES_MISMATCH":
            reason = f"the key {key} does not belong to the certificate {certificate}"
        else:
            reason = f"{certificate} and {key} cannot be used: {problem.reason or problem}"
        raise CertificateError(reason) from None
    code = _verify_code(server, certificate)
    if code == _EXPIRED:
        raise CertificateError(f"the certificate {certificate} has expired")
    if code == _NOT_YET_VALID:
        raise CertificateError(f"the certificate {certificate} is not valid yet; is the clock of this machine right?")


def names_host(certificate: Path, key: Path, host: str) -> bool:
    """Return whether a certificate is valid for links to this host."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate, key)
    return _verify_code(server, certificate, host) not in _OTHER_HOST


def _verify_code(server: ssl.SSLContext, certificate: Path, host: str | None = None) -> int:
    """Return the OpenSSL verify code of a client that trusts this certificate; 0: no objection."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = host is not None
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    client.load_verify_locations(certificate)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client_side = client.wrap_bio(to_client, to_server, server_hostname=host)
    server_side = server.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(5):
        for side in (client_side, server_side):
            try:
                with suppress(ssl.SSLWantReadError):
                    side.do_handshake()
            except ssl.SSLCertVerificationError as problem:
                return problem.verify_code
            except ssl.SSLError:
                return 0
    return 0
