from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetSnapshotRequest(_message.Message):
    __slots__ = ("since_version",)
    SINCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    since_version: int
    def __init__(self, since_version: _Optional[int] = ...) -> None: ...

class GetSnapshotResponse(_message.Message):
    __slots__ = ("version", "changed", "snapshot")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    version: int
    changed: bool
    snapshot: Snapshot
    def __init__(self, version: _Optional[int] = ..., changed: _Optional[bool] = ..., snapshot: _Optional[_Union[Snapshot, _Mapping]] = ...) -> None: ...

class Snapshot(_message.Message):
    __slots__ = ("org_tags", "revocations", "domains")
    ORG_TAGS_FIELD_NUMBER: _ClassVar[int]
    REVOCATIONS_FIELD_NUMBER: _ClassVar[int]
    DOMAINS_FIELD_NUMBER: _ClassVar[int]
    org_tags: _containers.RepeatedCompositeFieldContainer[OrgTag]
    revocations: _containers.RepeatedCompositeFieldContainer[Revocation]
    domains: _containers.RepeatedCompositeFieldContainer[KnowledgeDomain]
    def __init__(self, org_tags: _Optional[_Iterable[_Union[OrgTag, _Mapping]]] = ..., revocations: _Optional[_Iterable[_Union[Revocation, _Mapping]]] = ..., domains: _Optional[_Iterable[_Union[KnowledgeDomain, _Mapping]]] = ...) -> None: ...

class OrgTag(_message.Message):
    __slots__ = ("code", "name", "parent_code")
    CODE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARENT_CODE_FIELD_NUMBER: _ClassVar[int]
    code: str
    name: str
    parent_code: str
    def __init__(self, code: _Optional[str] = ..., name: _Optional[str] = ..., parent_code: _Optional[str] = ...) -> None: ...

class KnowledgeDomain(_message.Message):
    __slots__ = ("code", "name", "description", "owner_org_tag")
    CODE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    OWNER_ORG_TAG_FIELD_NUMBER: _ClassVar[int]
    code: str
    name: str
    description: str
    owner_org_tag: str
    def __init__(self, code: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., owner_org_tag: _Optional[str] = ...) -> None: ...

class Revocation(_message.Message):
    __slots__ = ("user_id", "min_version")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    min_version: int
    def __init__(self, user_id: _Optional[str] = ..., min_version: _Optional[int] = ...) -> None: ...
