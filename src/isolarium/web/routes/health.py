"""The route for whoever watches over a server: whether it can answer."""

from fastapi import APIRouter, Response

from isolarium import __version__
from isolarium.web.http_errors import BUSY, problems
from isolarium.web.schemas import facts
from isolarium.web.services import Served

router = APIRouter(prefix="/api", tags=["health"])


@router.get("/health", responses={**problems(), BUSY: {"model": facts.Health}})
def health(services: Served, response: Response) -> facts.Health:
    """How the workers are; status 503 while a kind of them has none that is ready."""
    lanes = {name: lane.facts() for name, lane in services.lanes().items()}
    if not all(lane["ready"] for lane in lanes.values()):
        response.status_code = BUSY
    return facts.Health.model_validate({"version": __version__, **lanes})
