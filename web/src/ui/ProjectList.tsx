import type { Project } from "../api/types";
import { goTo } from "./hooks";
import { Icon } from "./icons";

interface ProjectListProps {
  projects: readonly Project[] | null;
  current: Project | null;
  onCreate: () => void;
}

export function ProjectList({ projects, current, onCreate }: ProjectListProps) {
  return (
    <nav className="projects" aria-label="Projects">
      <div className="projects-head">
        <h2>Projects</h2>
        <button type="button" className="quiet square" onClick={onCreate} aria-label="New project" title="New project">
          <Icon name="plus" />
        </button>
      </div>
      {projects === null && <p className="faint">Loading …</p>}
      <ul>
        {projects?.map((project) => (
          <li key={project.id}>
            <button
              type="button"
              className="project-link"
              aria-current={project.id === current?.id ? "page" : undefined}
              onClick={() => goTo({ projectId: project.id, taskId: null })}
            >
              <span className="project-name" dir="auto">
                {project.name}
              </span>
              <Swatches colors={project.style.palette} most={8} />
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

export function Swatches({ colors, most }: { colors: readonly string[]; most: number }) {
  if (colors.length === 0) return null;
  const label = `Palette: ${colors.length} ${colors.length === 1 ? "color" : "colors"}`;
  return (
    <span className="swatches" role="img" aria-label={label} title={colors.join(" ")}>
      {colors.slice(0, most).map((color) => (
        <span key={color} style={{ background: color }} />
      ))}
    </span>
  );
}
