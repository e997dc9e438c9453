// A minimal client of the API over HTTP.

/** Send one operation; returns its data, or throws with the messages of the answer. */
export async function send(base, query, variables = {}, token = "") {
  const response = await fetch(new URL("/graphql", base), {
    method: "POST",
    headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify({ query, variables }),
  });
  const answer = await response.json();
  if (answer.errors) throw new Error(answer.errors.map((error) => error.message).join("; "));
  return answer.data;
}

/** A token: the one given, or that of the account, which is made when it does not exist. */
export async function tokenFor(base, { token, email, password }) {
  if (token) return token;
  const input = { email, password };
  const session = "accessToken errors { code message }";
  const login = (await send(base, `mutation($input: LoginInput!) { login(input: $input) { ${session} } }`, { input })).login;
  if (login.accessToken) return login.accessToken;
  const made = (await send(base, `mutation($input: SignupInput!) { signup(input: $input) { ${session} } }`, { input })).signup;
  if (made.accessToken) return made.accessToken;
  throw new Error([...login.errors, ...made.errors].map((error) => error.message).join("; "));
}

/** Ask for a sprite in a new project; returns the ids of both. */
export async function startTask(base, token, prompt = "a small green slime") {
  const { createProject } = await send(
    base,
    'mutation { createProject(input: { name: "Client test" }) { project { id } errors { message } } }',
    {},
    token,
  );
  const projectId = createProject.project.id;
  const input = { projectId, prompt, assetType: "SPRITE" };
  const { generate } = await send(
    base,
    "mutation($input: GenerateInput!) { generate(input: $input) { task { id } errors { message } } }",
    { input },
    token,
  );
  if (!generate.task) throw new Error(generate.errors.map((error) => error.message).join("; "));
  return { projectId, taskId: generate.task.id };
}
