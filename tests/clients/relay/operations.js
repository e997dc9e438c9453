// What the Relay trial asks for; relay-compiler reads the tagged templates.

export const PROJECT_FRAGMENT = graphql`
  fragment operationsProject on Project
  @refetchable(queryName: "operationsProjectRefetchQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 1 }, cursor: { type: "String" }) {
    name
    tasks(first: $count, after: $cursor) @connection(key: "operations_tasks") {
      edges { node { id prompt status } }
    }
  }
`;

export const PROJECT_QUERY = graphql`
  query operationsProjectQuery($id: ID!) {
    node(id: $id) { __typename ...operationsProject @alias(as: "project") }
    gone: node(id: "tsk_00000000000000000000000000") { id }
    nodes(ids: [$id, "ast_00000000000000000000000000"]) { id }
  }
`;

export const GENERATE = graphql`
  mutation operationsGenerateMutation($input: GenerateInput!) {
    generate(input: $input) { task { id status prompt project { id } } errors { code message path } }
  }
`;

export const FOLLOW = graphql`
  subscription operationsFollowSubscription($id: ID!, $after: Int) {
    taskProgress(taskId: $id, after: $after) { sequence status task { id status progress } }
  }
`;
