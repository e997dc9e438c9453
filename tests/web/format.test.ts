import { fitScale, formatAge, formatBytes, formatPercent, formatSeconds, humanize } from "../../web/src/lib/format";
import { parseColors, recolor } from "../../web/src/lib/palette";

describe("numbers in words", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.0 kB"],
    [14_230, "14.2 kB"],
    [99_960, "100 kB"],
    [999_600, "1.0 MB"],
    [5_000_000_000_000, "5000 GB"],
  ])("writes %d bytes as %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [0.18, "0.2 s"],
    [9.96, "10 s"],
    [59.6, "1 min 00 s"],
    [185, "3 min 05 s"],
    [7_800, "2 h 10 min"],
  ])("writes %d seconds as %s", (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

  it.each([
    [10, "just now"],
    [-5, "just now"],
    [50, "1 min ago"],
    [3_000, "50 min ago"],
    [10_800, "3 h ago"],
  ])("writes an age of %d seconds as %s", (seconds, text) => {
    const now = Date.parse("2026-01-01T12:00:00Z");
    expect(formatAge(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
  });

  it("writes a share that is not known as a dash", () => {
    expect(formatPercent(null)).toBe("–");
    expect(formatPercent(0.666)).toBe("67 %");
  });

  it("writes constants as words", () => {
    expect(["TILESET", "PROMPT_BUILDER", "UI"].map(humanize)).toEqual(["Tileset", "Prompt builder", "UI"]);
  });
});

describe("enlarging pixels", () => {
  it("takes the largest whole number that fits", () => expect(fitScale(64, 64, 320, 312)).toBe(4));
  it("makes larger pictures smaller, to fit exactly", () => expect(fitScale(640, 360, 160, 160)).toBe(0.25));
  it("counts device pixels, so that fine screens show sharp halves", () => expect(fitScale(64, 64, 170, 170, 2)).toBe(2.5));
  it("has an answer before the box has a size", () => expect(fitScale(64, 64, 0, 0)).toBe(1));
});

describe("colors", () => {
  it("are read from any text, once each, short and long, in lower case", () => {
    expect(parseColors("FF00AA; #fff\n12345678 #ff00aa nothing")).toEqual(["#ff00aa", "#ffffff", "#12345678"]);
  });
  it("keep their alpha when they are changed", () => expect(recolor("#11223380", "#AABBCC")).toBe("#aabbcc80"));
});
