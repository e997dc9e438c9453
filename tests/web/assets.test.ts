import type { Asset } from "../../web/src/api/types";
import { cardPictures, nineSliceOf, posterOf, previewChoices } from "../../web/src/lib/assets";

const file = (role: string, mediaType: string, name = role): Asset => ({ id: name, name, role, mediaType }) as Asset;
const clip = [
  file("video", "video/mp4", "clip-1"),
  file("poster", "image/png", "poster-1"),
  file("preview", "image/gif", "gif-1"),
  file("video", "video/mp4", "clip-2"),
  file("poster", "image/png", "poster-2"),
];
const sheet = [file("spritesheet", "image/png"), file("atlas", "application/json"), file("preview", "image/gif")];
const names = (assets: readonly Asset[]) => assets.map((asset) => asset.name);

describe("the files of a task", () => {
  it("shows a moving preview on a card, and a still picture to those who want no movement", () => {
    expect(names(cardPictures({ assets: clip }, true))).toEqual(["gif-1"]);
    expect(names(cardPictures({ assets: clip }, false))).toEqual(["poster-1", "poster-2"]);
    expect(names(cardPictures({ assets: sheet }, false))).toEqual(["spritesheet"]);
  });

  it("plays clips themselves, and opens sheets with their animations", () => {
    expect(names(previewChoices(clip))).toEqual(["clip-1", "clip-2"]);
    expect(names(previewChoices(sheet))).toEqual(["preview", "spritesheet"]);
  });

  it("knows how a part of an interface stretches, and that most pictures do not", () => {
    const nineSlice = { left: 8, top: 4, right: 8, bottom: 0 };
    expect(nineSliceOf({ pivot: {}, nineSlice })).toEqual(nineSlice);
    for (const other of [null, "nineSlice", {}, { nineSlice: null }, { nineSlice: { left: 8, top: "4", right: 8, bottom: 0 } }]) {
      expect(nineSliceOf(other)).toBeNull();
    }
  });

  it("finds each clip's own poster", () => {
    const [first, , , second] = clip;
    expect(first && posterOf(clip, first)?.name).toBe("poster-1");
    expect(second && posterOf(clip, second)?.name).toBe("poster-2");
    expect(second && posterOf(clip.slice(0, 4), second)).toBeUndefined();
  });
});
