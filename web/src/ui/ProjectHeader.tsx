import { useState } from "react";
import { request } from "../api/client";
import { messageOf } from "../api/errors";
import { DELETE_PROJECT } from "../api/operations";
import type { Project } from "../api/types";
import { ConfirmDialog } from "./Dialog";
import { goTo } from "./hooks";
import { Icon } from "./icons";
import { ProjectDialog } from "./ProjectDialog";
import { Swatches } from "./ProjectList";

interface ProjectHeaderProps {
  project: Project;
  onSaved: (project: Project) => void;
  onDeleted: () => void;
}

export function ProjectHeader({ project, onSaved, onDeleted }: ProjectHeaderProps) {
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const { style } = project;
  const words = [style.artStyle, style.perspective, style.mood].filter(Boolean);
  return (
    <header className="project-head">
      <div className="project-title">
        <h1 dir="auto">{project.name}</h1>
        <p className="style-line">
          {words.length > 0 ? (
            words.map((word) => (
              <bdi key={word} className="tag">
                {word}
              </bdi>
            ))
          ) : (
            <span className="faint">No style yet: every asset is drawn freely.</span>
          )}
          <Swatches colors={style.palette} most={16} />
        </p>
      </div>
      <div className="row">
        <button type="button" onClick={() => setOpen("edit")}>
          <Icon name="edit" /> Edit style
        </button>
        <button type="button" className="quiet square" onClick={() => setOpen("delete")} aria-label="Delete project" title="Delete project">
          <Icon name="trash" />
        </button>
      </div>
      {open === "edit" && (
        <ProjectDialog
          project={project}
          onClose={() => setOpen(null)}
          onSaved={(saved) => {
            onSaved(saved);
            setOpen(null);
          }}
        />
      )}
      {open === "delete" && <DeleteProject project={project} onClose={() => setOpen(null)} onDeleted={onDeleted} />}
    </header>
  );
}

function DeleteProject({ project, onClose, onDeleted }: { project: Project; onClose: () => void; onDeleted: () => void }) {
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<string[]>([]);
  const remove = async () => {
    setBusy(true);
    try {
      const { errors } = (await request(DELETE_PROJECT, { id: project.id })).deleteProject;
      if (errors.length > 0) {
        setProblems(errors.map((error) => error.message));
      } else {
        goTo({ projectId: null, taskId: null });
        onDeleted();
      }
    } catch (error) {
      setProblems([messageOf(error)]);
    } finally {
      setBusy(false);
    }
  };
  return (
    <ConfirmDialog
      title={`Delete ${project.name}?`}
      text="Its tasks are cancelled, and all of its assets are deleted. This cannot be undone."
      action="Delete project"
      busy={busy}
      problems={problems}
      onConfirm={() => void remove()}
      onClose={onClose}
    />
  );
}
