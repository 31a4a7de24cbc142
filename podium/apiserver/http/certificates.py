"""Certificates: an authority of the cluster's own, and the server's certificate by it.

Both are made at the first start and kept. The server's is made anew when it is about to expire, or
is for other names; the authority's too, when it expires itself, so that clients need a new
kubeconfig only then.
"""

import ipaddress
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from podium.api.process.private_files import (
    FileError,
    private_directory,
    read_private,
    write_private,
)
from podium.apiserver.authentication.users import MASTERS

LOCAL_NAMES = ("127.0.0.1", "::1", "localhost")
"""Names and addresses of the server for clients on its own machine."""

_KUBELET_CLIENT = "kube-apiserver-kubelet-client"
_AUTHORITY_LIFE = timedelta(days=3650)
_SERVER_LIFE = timedelta(days=365)
_RENEWAL = timedelta(days=30)
# Clocks of clients may be behind.
_LEEWAY = timedelta(hours=1)

Key = ec.EllipticCurvePrivateKey


class Certificates(msgspec.Struct, frozen=True):
    """The PEM files that a server with TLS needs."""

    certificate: Path
    key: Path
    authority: Path


class ClientCertificate(msgspec.Struct, frozen=True):
    """The PEM files by which a client proves its identity."""

    certificate: Path
    key: Path


class _Pair(msgspec.Struct, frozen=True):
    certificate: x509.Certificate
    key: Key


def kept_certificates(
    directory: Path, now_s: float, names: Sequence[str] = LOCAL_NAMES
) -> Certificates:
    """A directory's certificates of a server by its names, renewed if need be; raises FileError."""
    private_directory(directory)
    now = datetime.fromtimestamp(now_s, UTC)
    authority = _read(directory, "ca")
    if authority is None or _expires_soon(authority, now):
        key = ec.generate_private_key(ec.SECP256R1())
        allowed = ("digital_signature", "key_cert_sign", "crl_sign")
        others = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
        denied = (*others, "encipher_only", "decipher_only")
        usage = x509.KeyUsage(**dict.fromkeys(allowed, True), **dict.fromkeys(denied, False))
        name = _name("podium-ca")
        builder = (
            _builder(name, name, key.public_key(), now, _AUTHORITY_LIFE)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
        )
        authority = _Pair(builder.sign(key, hashes.SHA256()), key)
        _write(directory, "ca", authority)
    server = _read(directory, "server")
    if server is None or _expires_soon(server, now) or not _fits(server, authority, names):
        server = _issued(authority, "podium", ExtendedKeyUsageOID.SERVER_AUTH, now, names)
        _write(directory, "server", server)
    return Certificates(*(directory / name for name in ("server.crt", "server.key", "ca.crt")))


def new_kubelet_client(directory: Path, now_s: float) -> ClientCertificate:
    """A new certificate for the API server as a client of kubelets; raises FileError."""
    authority = _read(directory, "ca")
    if authority is None:
        raise FileError(f"{directory}: there is no authority")
    now = datetime.fromtimestamp(now_s, UTC)
    usage = ExtendedKeyUsageOID.CLIENT_AUTH
    client = _issued(authority, _KUBELET_CLIENT, usage, now, group=MASTERS)
    _write(directory, "kubelet-client", client)
    return ClientCertificate(*(directory / f"kubelet-client.{end}" for end in ("crt", "key")))


def _expires_soon(pair: _Pair, now: datetime) -> bool:
    return pair.certificate.not_valid_after_utc < now + _RENEWAL


def _fits(server: _Pair, authority: _Pair, names: Sequence[str]) -> bool:
    found = server.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    if list(found.value) != _alternatives(names):
        return False
    identifier = server.certificate.extensions.get_extension_for_class(
        x509.AuthorityKeyIdentifier
    ).value.key_identifier
    public = authority.key.public_key()
    return identifier == x509.SubjectKeyIdentifier.from_public_key(public).digest


def _issued(
    authority: _Pair,
    common: str,
    usage: x509.ObjectIdentifier,
    now: datetime,
    names: Sequence[str] = (),
    group: str = "",
) -> _Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    life = min(_SERVER_LIFE, authority.certificate.not_valid_after_utc - now)
    issuer = authority.certificate.subject
    vouching = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    builder = (
        _builder(_name(common, group), issuer, key.public_key(), now, life)
        .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(vouching, critical=False)
    )
    if names:
        alternatives = x509.SubjectAlternativeName(_alternatives(names))
        builder = builder.add_extension(alternatives, critical=False)
    return _Pair(builder.sign(authority.key, hashes.SHA256()), key)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    public: ec.EllipticCurvePublicKey,
    now: datetime,
    life: timedelta,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _LEEWAY)
        .not_valid_after(now + life)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _name(common: str, group: str = "") -> x509.Name:
    known = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group)] if group else []
    return x509.Name([*known, x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _alternatives(names: Sequence[str]) -> list[x509.GeneralName]:
    found: list[x509.GeneralName] = []
    for name in names:
        try:
            found.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            found.append(x509.DNSName(name))
    return found


def _write(directory: Path, name: str, pair: _Pair) -> None:
    key = pair.key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    # The certificate comes last: without it, the key counts for nothing.
    write_private(directory / f"{name}.key", key)
    certificate = pair.certificate.public_bytes(serialization.Encoding.PEM)
    write_private(directory / f"{name}.crt", certificate)


def _read(directory: Path, name: str) -> _Pair | None:
    certificate = read_private(directory / f"{name}.crt")
    key = read_private(directory / f"{name}.key")
    if certificate is None or key is None:
        return None
    private: object = None
    with suppress(ValueError, TypeError):
        private = serialization.load_pem_private_key(key, None)
        loaded = x509.load_pem_x509_certificate(certificate)
        if isinstance(private, ec.EllipticCurvePrivateKey):
            belongs = loaded.public_key() == private.public_key()
            return _Pair(loaded, private) if belongs else None
    both = f"{name}.crt or {name}.key"
    raise FileError(f"{directory}: {both} is damaged; remove both to get new ones")
