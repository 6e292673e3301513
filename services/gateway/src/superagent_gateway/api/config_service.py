"""`ConfigService`: contract messages ↔ domain, nothing else."""

from __future__ import annotations

import grpc

from superagent.gateway.v1 import gateway_pb2 as pb
from superagent.gateway.v1.gateway_pb2_grpc import ConfigServiceServicer
from superagent_common.rpc import Access
from superagent_gateway.application.configuration import CurrentConfiguration

ACCESS: dict[str, Access] = {"/superagent.gateway.v1.ConfigService/GetSnapshot": "service"}


class ConfigApi(ConfigServiceServicer):  # type: ignore[misc]
    """`superagent.gateway.v1.ConfigService`."""

    def __init__(self, configuration: CurrentConfiguration) -> None:
        self._configuration = configuration

    async def GetSnapshot(
        self, request: pb.GetSnapshotRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetSnapshotResponse:
        current = self._configuration.current
        if request.since_version >= current.version:
            return pb.GetSnapshotResponse(version=current.version)
        return pb.GetSnapshotResponse(
            version=current.version,
            changed=True,
            snapshot=pb.Snapshot(
                org_tags=[
                    pb.OrgTag(code=tag.code, name=tag.name, parent_code=tag.parent_code) for tag in current.org_tags
                ],
                revocations=[
                    pb.Revocation(user_id=user_id, min_version=version) for user_id, version in current.revocations
                ],
                domains=[
                    pb.KnowledgeDomain(
                        code=domain.code,
                        name=domain.name,
                        description=domain.description,
                        owner_org_tag=domain.owner_org_tag,
                    )
                    for domain in current.domains
                ],
            ),
        )
