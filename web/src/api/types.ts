// The part of the API's schema that the pages use.

export type AssetType = "SPRITE" | "SPRITESHEET" | "TILESET" | "ICON" | "BACKGROUND" | "PORTRAIT" | "UI" | "VIDEO";
export type TaskStatus = "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMEOUT";
export type TaskStage = "PROMPT_BUILDER" | "ASSET_GENERATOR" | "QUALITY_SUPERVISOR" | "FORMAT_ADAPTER";
export type ImageFormat = "PNG" | "WEBP" | "JPEG" | "GIF" | "APNG";
export type AtlasFormat = "JSON_HASH" | "JSON_ARRAY" | "ASEPRITE" | "GODOT" | "TILED" | "UNITY";

/** A failure that is part of a mutation's answer. */
export interface UserError {
  code: string;
  message: string;
  path: string[] | null;
  retryAfterSeconds: number | null;
}

export interface User {
  id: string;
  email: string;
  displayName: string;
  role: "USER" | "ADMIN";
  limits: { activeTasks: number; maxActiveTasks: number };
}

export interface AuthPayload {
  user: Omit<User, "limits"> | null;
  accessToken: string | null;
  refreshToken: string | null;
  expiresAt: string | null;
  errors: UserError[];
}

export interface ProjectStyle {
  artStyle: string;
  palette: string[];
  perspective: string;
  mood: string;
  negativePrompt: string;
}

export interface Project {
  id: string;
  name: string;
  description: string;
  style: ProjectStyle;
  updatedAt: string;
}

export interface Animation {
  name: string;
  frames: number;
  fps: number;
  loop: boolean;
  pingPong: boolean;
}

export interface TaskParams {
  width: number | null;
  height: number | null;
  seed: number | null;
  count: number;
  negativePrompt: string;
  transparent: boolean;
  format: ImageFormat | null;
  paletteSize: number | null;
  animations: Animation[];
  atlasFormats: AtlasFormat[];
  padding: number | null;
  extrude: number | null;
  trim: boolean | null;
  powerOfTwo: boolean | null;
  maxSheetSize: number | null;
  tileSize: number | null;
  tileCount: number | null;
  seamless: boolean | null;
  durationSeconds: number | null;
  fps: number | null;
  outline: number | null;
  outlineColor: string | null;
  outlineCorners: boolean | null;
  dither: number | null;
  embedMetadata: boolean;
}

/** What `generate` takes: only what differs from the asset type's defaults. */
export type GenerationParams = Partial<{ [Key in keyof TaskParams]: NonNullable<TaskParams[Key]> }>;

export interface QualityCheck {
  round: number;
  name: string;
  score: number;
  threshold: number;
  passed: boolean;
  reason: string;
}

export interface Provenance {
  provider: string;
  model: string;
  seed: number | null;
  prompt: string;
  negativePrompt: string;
  attempt: number;
  round: number;
  requestId: string | null;
  durationSeconds: number;
}

export interface Asset {
  id: string;
  name: string;
  role: string;
  mediaType: string;
  width: number | null;
  height: number | null;
  sizeBytes: number;
  url: string;
  /** A small picture of it; null where there is none. */
  thumbnailUrl: string | null;
}

export interface AssetDetail extends Asset {
  sha256: string;
  metadata: unknown;
  provenance: Provenance;
}

export interface TaskError {
  code: string;
  message: string;
  retryable: boolean;
}

/** The part of a task that changes while it is worked on. */
export interface TaskState {
  status: TaskStatus;
  stage: TaskStage | null;
  progress: number;
  attempt: number;
  qualityRetries: number;
}

export interface Task extends TaskState {
  id: string;
  assetType: AssetType;
  prompt: string;
  priority: number;
  queuePosition: number | null;
  degraded: boolean;
  provider: string | null;
  error: TaskError | null;
  params: TaskParams;
  assets: Asset[];
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

export interface TaskEvent extends TaskState {
  taskId: string;
  sequence: number;
  message: string;
  at: string;
  /** What there is of it so far, where it is shown. */
  task?: { preview: string | null };
}

export interface TaskDetail extends Omit<Task, "assets"> {
  kind: string;
  externalId: string | null;
  qualityChecks: QualityCheck[];
  assets: AssetDetail[];
  events: Omit<TaskEvent, "taskId">[];
}

export interface QueueStats {
  pending: number;
  running: number;
  capacity: number;
  workers: number;
  busyWorkers: number;
  successRate: number | null;
  averageSeconds: number | null;
  averageWaitSeconds: number | null;
  windowSeconds: number;
  paused: boolean;
}

export interface Provider {
  name: string;
  model: string;
  assetTypes: AssetType[];
  available: boolean;
}

export interface Connection<Item> {
  totalCount: number;
  edges: { node: Item }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}
