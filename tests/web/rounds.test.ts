import type { Asset, QualityCheck } from "../../web/src/api/types";
import { cardPictures, mainAssets } from "../../web/src/lib/assets";
import { roundsOf } from "../../web/src/lib/rounds";

function check(round: number, passed: boolean): QualityCheck {
  return { round, name: "palette", score: passed ? 0.9 : 0.2, threshold: 0.5, passed, reason: "" };
}

function asset(role: string, mediaType = "image/png"): Asset {
  return { id: role, name: `a-${role}`, role, mediaType, width: 8, height: 8, sizeBytes: 1, url: "/files/a", thumbnailUrl: null };
}

describe("quality rounds", () => {
  it("are passed only when each of their checks is", () => {
    const rounds = roundsOf([check(0, true), check(0, false), check(1, true), check(1, true)]);
    expect(rounds.map((round) => [round.title, round.passed, round.checks.length])).toEqual([
      ["Round 1", false, 2],
      ["Round 2", true, 2],
    ]);
  });

  it("of a second attempt are not mixed with those of the first", () => {
    const rounds = roundsOf([check(0, false), check(1, false), check(0, true)]);
    expect(rounds.map((round) => round.passed)).toEqual([false, false, true]);
  });
});

describe("the files of a task", () => {
  const sheet = [asset("spritesheet"), asset("preview", "image/gif"), asset("atlas", "application/json")];

  it("are led by what was asked for", () => expect(mainAssets(sheet).map((item) => item.role)).toEqual(["spritesheet"]));
  it("fall back to any picture", () => expect(mainAssets([asset("layer"), asset("atlas", "text/xml")])).toHaveLength(1));
  it("move on the card only for people who like movement", () => {
    expect(cardPictures({ assets: sheet }, true)[0]?.role).toBe("preview");
    expect(cardPictures({ assets: sheet }, false)[0]?.role).toBe("spritesheet");
  });
});
