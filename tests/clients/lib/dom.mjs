// As much of a browser as game engines need to start without one.
import { JSDOM } from "jsdom";

/** Put window, document and their like in place; pictures count as loaded at once, canvases draw nothing. */
export function installDom() {
  const { window } = new JSDOM("<!doctype html><body></body>", { url: "http://localhost/", pretendToBeVisual: true });
  const context = new Proxy({}, { get: (_, name) => (name === "canvas" ? null : () => ({ data: new Uint8ClampedArray(4), width: 0 })), set: () => true });
  window.HTMLCanvasElement.prototype.getContext = () => context;
  Object.defineProperty(window.screen, "orientation", { value: { type: "landscape-primary", addEventListener() {} }, configurable: true });
  class LoadedImage extends window.EventTarget {
    set src(value) {
      this.value = value;
      setTimeout(() => this.onload?.());
    }
    get src() {
      return this.value;
    }
  }
  const globals = { window, document: window.document, Image: LoadedImage, HTMLElement: window.HTMLElement, XMLHttpRequest: window.XMLHttpRequest };
  for (const [name, value] of Object.entries({ ...globals, navigator: window.navigator, screen: window.screen, self: window })) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  for (const name of ["HTMLCanvasElement", "HTMLVideoElement", "HTMLImageElement", "Element", "Node", "Event", "requestAnimationFrame", "cancelAnimationFrame"]) {
    globalThis[name] ??= typeof window[name] === "function" && !window[name].prototype ? window[name].bind(window) : window[name];
  }
  window.Image = LoadedImage;
  window.focus = () => undefined;
  return window;
}
