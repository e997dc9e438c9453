"""When two requests are the same."""

import hashlib
import json
from collections.abc import Sequence

from domain.kinds import AssetType
from domain.params import Params, params_to_json
from domain.styles import Style, style_to_json


def request_fingerprint(
    *,
    project_id: str,
    style: Style,
    prompt: str,
    asset_type: AssetType,
    params: Params,
    source_id: str | None,
    provider: str | None,
    depends_on: Sequence[str] = (),
) -> str:
    """Return 64 hex digits that are equal exactly for identical requests.

    Parameters count with their defaults filled in; an unset seed counts as unset, so `params` are those before the
    seed is fixed. The style counts by content: after a change of style the same words are another request. Priority and
    idempotency key do not count.
    """
    parts = {
        "project": project_id,
        "style": style_to_json(style),
        "prompt": prompt,
        "assetType": str(asset_type),
        "params": params_to_json(params),
        "source": source_id,
        "provider": provider,
        "dependsOn": sorted(set(depends_on)),
    }
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
