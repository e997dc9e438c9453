import { AuthScreen } from "./AuthScreen";
import { useUser } from "./hooks";
import { Toasts } from "./Toasts";
import { Workspace } from "./Workspace";

export function App() {
  const user = useUser();
  return (
    <>
      {user ? <Workspace key={user.id} user={user} /> : <AuthScreen />}
      <Toasts />
    </>
  );
}
