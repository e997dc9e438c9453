import { useCallback, useEffect, useState } from "react";
import { request } from "../api/client";
import { PROJECTS, PROVIDERS } from "../api/operations";
import type { SessionUser } from "../api/session";
import type { Connection, Project, Provider, Task } from "../api/types";
import { type Draft, newDraft } from "../lib/draft";
import { Composer } from "./Composer";
import { goTo, useBoard, useRoute } from "./hooks";
import { ProjectHeader } from "./ProjectHeader";
import { ProjectDialog } from "./ProjectDialog";
import { ProjectList } from "./ProjectList";
import { Results } from "./Results";
import { TaskDrawer } from "./TaskDrawer";
import { report } from "./Toasts";
import { TopBar } from "./TopBar";
import { Welcome } from "./Welcome";

/** More projects than a thousand are reached through the API. */
const MAX_PAGES = 10;

async function loadProjects(): Promise<Project[]> {
  const projects: Project[] = [];
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer: { projects: Connection<Project> } = await request(PROJECTS, { after });
    const { edges, pageInfo } = answer.projects;
    projects.push(...edges.map((edge) => edge.node));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  return projects;
}

export function Workspace({ user }: { user: SessionUser }) {
  const route = useRoute();
  const [projects, setProjects] = useState<Project[] | null>(null);
  const [providers, setProviders] = useState<Provider[]>([]);
  const [creating, setCreating] = useState(false);

  const reload = useCallback(() => {
    loadProjects().then(setProjects, (error) => {
      report(error);
      setProjects((known) => known ?? []);
    });
  }, []);
  useEffect(() => {
    reload();
    request(PROVIDERS, {}).then(({ providers: all }) => setProviders(all), report);
  }, [reload]);

  const project = projects?.find((item) => item.id === route.projectId) ?? projects?.[0] ?? null;
  const saved = (change: Project) => {
    setProjects((known) => {
      const others = (known ?? []).filter((item) => item.id !== change.id);
      const place = (known ?? []).findIndex((item) => item.id === change.id);
      return place < 0 ? [change, ...others] : others.toSpliced(place, 0, change);
    });
  };

  return (
    <div className="workspace">
      <TopBar user={user} />
      <ProjectList projects={projects} current={project} onCreate={() => setCreating(true)} />
      {project ? (
        <ProjectView key={project.id} project={project} providers={providers} onSaved={saved} onDeleted={reload} taskId={route.taskId} />
      ) : (
        projects && <Welcome onCreate={() => setCreating(true)} />
      )}
      {creating && (
        <ProjectDialog
          project={null}
          onClose={() => setCreating(false)}
          onSaved={(made) => {
            saved(made);
            setCreating(false);
            goTo({ projectId: made.id, taskId: null });
          }}
        />
      )}
    </div>
  );
}

interface ProjectViewProps {
  project: Project;
  providers: readonly Provider[];
  taskId: string | null;
  onSaved: (project: Project) => void;
  onDeleted: () => void;
}

function ProjectView({ project, providers, taskId, onSaved, onDeleted }: ProjectViewProps) {
  const { board, view } = useBoard(project.id, null);
  const [draft, setDraft] = useState<Draft>(() => newDraft("SPRITE"));
  const open = (id: string | null) => goTo({ projectId: project.id, taskId: id });
  const changed = (task: Task) => board?.put(task);
  return (
    <>
      <main className="project">
        <ProjectHeader project={project} onSaved={onSaved} onDeleted={onDeleted} />
        <Composer draft={draft} onDraft={setDraft} projectId={project.id} providers={providers} onTask={changed} />
        {board && view && <Results projectId={project.id} board={board} view={view} onOpen={open} onTask={changed} />}
      </main>
      {taskId && (
        <TaskDrawer
          key={taskId}
          taskId={taskId}
          live={view?.events.get(taskId)}
          onClose={() => open(null)}
          onTask={changed}
          onDraft={(next) => {
            setDraft(next);
            open(null);
          }}
        />
      )}
    </>
  );
}
