"""Who a request is made by: the person's token, verified here and carried to every service behind."""

from __future__ import annotations

from starlette.requests import Request

from superagent_common.errors import Unauthenticated
from superagent_common.identity import Identity, TokenVerifier, current_identity, current_principal
from superagent_common.identity.context import set_identity
from superagent_gateway.application.accounts import Accounts
from superagent_gateway.application.configuration import CurrentConfiguration


def bearer_token(authorization: str) -> str:
    """The token of an Authorization header. Raises Unauthenticated."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Unauthenticated("token_missing", "Send the access token as Authorization: Bearer.")
    return token


class Door:
    """Dependencies of the routes that need a person."""

    def __init__(self, verifier: TokenVerifier, configuration: CurrentConfiguration, accounts: Accounts) -> None:
        self._accounts = accounts
        self._verifier = verifier
        self._configuration = configuration

    async def person(self, request: Request) -> None:
        """Sets the identity of the request. Raises Unauthenticated."""
        set_identity(self.identity(bearer_token(request.headers.get("authorization", ""))))

    def identity(self, token: str) -> Identity:
        """The person whose access token this is, if it counts now. Raises Unauthenticated."""
        identity = self._verifier.verify(token)
        if identity.service or identity.principal is None:
            raise Unauthenticated("token_invalid", "The token is not a person's.")
        self._configuration.check(identity)
        return identity

    def still_counts(self, identity: Identity) -> None:
        """Raises Unauthenticated once an identity was revoked; that its token has expired since does not matter."""
        self._configuration.check(identity)

    async def administrator(self, request: Request) -> None:
        """As `person`, for administrators only; what has changed since the token was made counts at once. Raises Forbidden."""
        await self.person(request)
        current_principal().check_administrator()
        await self._accounts.check_administrator_now(current_identity())
