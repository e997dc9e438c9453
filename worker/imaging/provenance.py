"""Provenance inside picture files: PNG text chunks, XMP for WebP and JPEG, a comment in GIF.

Only what the picture follows from is embedded (provider, model, seed, prompts), not what differs between two runs that
draw the same picture (attempt, request id, duration), so equal pictures are equal files. No key and no address is
among it.
"""

import json
import re
import unicodedata
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from worker.artifacts import Provenance

#: Each prompt is cut to at most so many bytes of UTF-8, the ellipsis included.
MAX_PROMPT_BYTES: Final = 4096
#: Likewise the names of provider and model.
MAX_NAME_BYTES: Final = 200
SOFTWARE: Final = "Wonder"
_ELLIPSIS: Final = "…"
#: What UTF-8 or XML 1.0 cannot hold.
_NOT_TEXT: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_JOINER: Final = "\u200d"
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)


def bounded_text(value: str, maximum_bytes: int) -> str:
    """Return the text cut to so many bytes of UTF-8, marked by an ellipsis when it was.

    A letter is not parted from its accents, nor a joined emoji from its parts. Characters that no UTF-8 or XML can
    hold are dropped.
    """
    text = _NOT_TEXT.sub("", value)
    data = text.encode()
    if len(data) <= maximum_bytes:
        return text
    head = data[: maximum_bytes - len(_ELLIPSIS.encode())].decode(errors="ignore")
    end = len(head)
    # Bounded: a run of marks longer than this is no letter anybody reads.
    for _ in range(64):
        if end == 0 or not (_clings(text[end]) or text[end - 1] == _JOINER):
            break
        end -= 1
    return head[:end] + _ELLIPSIS


def _clings(character: str) -> bool:
    """Tell whether a character belongs to the one before it."""
    return (
        unicodedata.category(character) in {"Mn", "Me", "Mc"} or character == _JOINER or ord(character) in _SKIN_TONES
    )


def _fields(provenance: Provenance) -> dict[str, object]:
    return {
        "software": SOFTWARE,
        "provider": bounded_text(provenance.provider, MAX_NAME_BYTES),
        "model": bounded_text(provenance.model, MAX_NAME_BYTES),
        "seed": provenance.seed,
        "prompt": bounded_text(provenance.prompt, MAX_PROMPT_BYTES),
        "negativePrompt": bounded_text(provenance.negative_prompt, MAX_PROMPT_BYTES),
    }


def as_json(provenance: Provenance) -> bytes:
    """Return the embedded facts as one JSON object in UTF-8; the comment of a GIF."""
    return json.dumps(_fields(provenance), ensure_ascii=False).encode()


def png_texts(provenance: Provenance) -> dict[str, str]:
    """Return PNG text by keyword: the standard ones for people, and "wonder" with all facts as JSON for programs."""
    fields = _fields(provenance)
    return {
        "Software": SOFTWARE,
        "Description": str(fields["prompt"]),
        "wonder": as_json(provenance).decode(),
    }


def xmp_packet(provenance: Provenance) -> bytes:
    """Return an XMP packet: the prompt as `dc:description`, the program as `xmp:CreatorTool`, the rest as ours.

    Shorter than the 65,502 bytes that one JPEG segment holds, whatever the prompts.
    """
    fields = _fields(provenance)
    own = "".join(
        f" wonder:{name}={quoteattr(str(fields[name]))}"
        for name in ("provider", "model", "seed")
        if fields[name] is not None
    )
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        f' xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:wonder="urn:wonder:provenance"'
        f' xmp:CreatorTool="{SOFTWARE}"{own}>'
        f'<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{escape(str(fields["prompt"]))}</rdf:li></rdf:Alt>'
        "</dc:description>"
        f"<wonder:negativePrompt>{escape(str(fields['negativePrompt']))}</wonder:negativePrompt>"
        '</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>'
    ).encode()
