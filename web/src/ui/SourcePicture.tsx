import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { request } from "../api/client";
import { messageOf } from "../api/errors";
import { UPLOAD_IMAGE } from "../api/operations";
import type { Draft } from "../lib/draft";
import { Problems } from "./fields";
import { Icon } from "./icons";

const ACCEPTED = "image/png,image/jpeg,image/webp,image/gif";

interface SourcePictureProps {
  source: Draft["source"];
  projectId: string;
  onSource: (source: Draft["source"]) => void;
  children: ReactNode;
}

/** Around the prompt: takes a picture to start from, chosen, dropped or pasted, and shows which one it is. */
export function SourcePicture({ source, projectId, onSource, children }: SourcePictureProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [sending, setSending] = useState(false);
  // The form may be typed in, or shown for another project, while a picture is under way.
  const latest = useRef({ projectId, onSource });
  latest.current = { projectId, onSource };

  async function upload(files: FileList | null): Promise<void> {
    const file = [...(files ?? [])].find((item) => item.type.startsWith("image/"));
    if (!file || sending) return;
    setSending(true);
    setProblem(null);
    try {
      const { image, errors } = (await request(UPLOAD_IMAGE, { projectId, file })).uploadImage;
      if (latest.current.projectId !== projectId) return;
      if (image) latest.current.onSource({ id: image.id, name: file.name });
      else setProblem(errors.map((error) => error.message).join(" "));
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setSending(false);
    }
  }

  const drop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    void upload(event.dataTransfer.files);
  };
  return (
    <div
      className="stack"
      onDragOver={(event) => event.dataTransfer.types.includes("Files") && event.preventDefault()}
      onDrop={drop}
      onPaste={(event) => {
        // Office programs put a picture of the text beside the text that is meant.
        if (event.clipboardData.files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
        event.preventDefault();
        void upload(event.clipboardData.files);
      }}
    >
      {children}
      {source ? (
        <p className="source">
          <Icon name="picture" /> Starts from <bdi>{source.name}</bdi>
          <button type="button" className="quiet square" aria-label="Do not start from this picture" onClick={() => onSource(null)}>
            <Icon name="close" />
          </button>
        </p>
      ) : (
        <label className="source-choice">
          <Icon name="picture" />
          <span>{sending ? "Sending the picture …" : "Start from a picture: choose, drop or paste it"}</span>
          <input
            type="file"
            className="hidden"
            accept={ACCEPTED}
            aria-label="Start from a picture"
            onChange={(event) => {
              void upload(event.target.files);
              event.target.value = "";
            }}
          />
        </label>
      )}
      <Problems messages={problem ? [problem] : []} />
    </div>
  );
}
