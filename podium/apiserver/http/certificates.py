"""Certificates: an authority of the cluster's own, and the server's certificate by it.

Both are made at the first start, and kept until they are about to expire; the server's also until
it is for other names. With a new authority, clients need a new kubeconfig.
"""

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
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
    authority, server = _read(directory, "ca"), _read(directory, "server")
    if authority is None or _expires_soon(authority, now):
        allowed = ("digital_signature", "key_cert_sign", "crl_sign")
        others = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
        denied = (*others, "encipher_only", "decipher_only")
        usage = x509.KeyUsage(**dict.fromkeys(allowed, True), **dict.fromkeys(denied, False))
        authority = _written(
            directory / "ca",
            {NameOID.COMMON_NAME: "podium-ca"},
            now,
            [(x509.BasicConstraints(ca=True, path_length=0), True), (usage, True)],
        )
    alternatives = _alternatives(names)
    if server is None or _expires_soon(server, now) or not _fits(server, authority, alternatives):
        usage_of_server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        extensions = [(usage_of_server, False), (x509.SubjectAlternativeName(alternatives), False)]
        subject = {NameOID.COMMON_NAME: "podium"}
        _written(directory / "server", subject, now, extensions, authority)
    return Certificates(*(directory / name for name in ("server.crt", "server.key", "ca.crt")))


def new_kubelet_client(directory: Path, now_s: float) -> ClientCertificate:
    """A new certificate for the API server as a client of kubelets; raises FileError."""
    authority = _read(directory, "ca")
    if authority is None:
        raise FileError(f"{directory}: there is no authority")
    now = datetime.fromtimestamp(now_s, UTC)
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
    subject = {NameOID.ORGANIZATION_NAME: MASTERS, NameOID.COMMON_NAME: _KUBELET_CLIENT}
    _written(directory / "kubelet-client", subject, now, [(usage, False)], authority)
    return ClientCertificate(*(directory / f"kubelet-client.{end}" for end in ("crt", "key")))


def _expires_soon(pair: _Pair, now: datetime) -> bool:
    return pair.certificate.not_valid_after_utc < now + _RENEWAL


def _fits(server: _Pair, authority: _Pair, alternatives: list[x509.GeneralName]) -> bool:
    extensions = server.certificate.extensions
    found = extensions.get_extension_for_class(x509.SubjectAlternativeName)
    issuer = extensions.get_extension_for_class(x509.AuthorityKeyIdentifier)
    public = x509.SubjectKeyIdentifier.from_public_key(authority.key.public_key())
    return list(found.value) == alternatives and issuer.value.key_identifier == public.digest


def _alternatives(names: Sequence[str]) -> list[x509.GeneralName]:
    found: list[x509.GeneralName] = []
    for name in names:
        try:
            found.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            found.append(x509.DNSName(name))
    return found


def _written(
    path: Path,
    subject: Mapping[x509.ObjectIdentifier, str],
    now: datetime,
    extensions: Iterable[tuple[x509.ExtensionType, bool]],
    authority: _Pair | None = None,
) -> _Pair:
    """A new certificate with its key, in files; signed by itself without an authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = issuer = x509.Name([x509.NameAttribute(oid, text) for oid, text in subject.items()])
    signing, life = key, _AUTHORITY_LIFE
    if authority is not None:
        issuer, signing = authority.certificate.subject, authority.key
        life = min(_SERVER_LIFE, authority.certificate.not_valid_after_utc - now)
        vouching = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key())
        constraints = x509.BasicConstraints(ca=False, path_length=None)
        extensions = [*extensions, (constraints, True), (vouching, False)]
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _LEEWAY)
        .not_valid_after(now + life)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    pair = _Pair(builder.sign(signing, hashes.SHA256()), key)
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    # The certificate comes last: without it, the key counts for nothing.
    write_private(
        path.with_suffix(".key"), key.private_bytes(encoding, form, serialization.NoEncryption())
    )
    write_private(path.with_suffix(".crt"), pair.certificate.public_bytes(encoding))
    return pair


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
