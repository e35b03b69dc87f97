// The search runs in a Worker, which browsers refuse to pages from a folder (file://). There, a frame does its work.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) =>
        setTimeout(() => {
          const message = new MessageEvent("message", { data });
          this.dispatchEvent(message);
          this.onmessage?.(message);
        });
      const script = inside.document.createElement("script");
      script.src = new URL(url, location.href).href;
      this.ready = new Promise((done, fail) => {
        script.onload = () => done(inside);
        script.onerror = () => fail(new Error(`cannot load ${script.src}`));
      });
      inside.document.body.append(script);
    }
    postMessage(data) {
      this.ready.then((inside) =>
        setTimeout(() => inside.dispatchEvent(new inside.MessageEvent("message", { data: structuredClone(data) }))),
      );
    }
    terminate() {}
  };
}
