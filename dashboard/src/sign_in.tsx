// What stands in the way of seeing the cluster: no token, or no server.
import { useState } from "preact/hooks";
import { signIn, tokenOfLink } from "./connection";
import { clockTime } from "./format";
import { useStore } from "./store";

// Said on every page, since what it shows is no longer true.
export function Trouble() {
  const { connection, history } = useStore();
  if (connection.state === "refused") return <SignIn />;
  if (connection.state !== "lost") return null;
  return (
    <div class="trouble" role="alert">
      <b>{connection.why}</b>{" "}
      {history && <>What is shown is of {clockTime(history.view.clock, history.lastS)} UTC. </>}
      The page goes on by itself when the server is back; a command that was started anew prints another link.
    </div>
  );
}

function SignIn() {
  const [given, setGiven] = useState("");
  const submit = (event: Event) => { event.preventDefault(); signIn(given); };
  return (
    <form class="trouble" aria-label="Sign in" onSubmit={submit}>
      <b>{tokenOfLink() ? "The token isn't valid: the server may have been started anew." : "The page needs a token."}</b>
      <p>
        It is in the link that Podium has printed (<code>See it: …/dashboard/#token=…</code>). <code>podium up</code> also keeps the
        link in the file <code>dashboard</code> of its data directory: that of <code>--data-dir</code>, or
        with <code>--detach</code> <code>~/.local/state/podium/up</code>.
      </p>
      <label for="token">Link or token</label>{" "}
      <input id="token" type="password" autocomplete="off" required value={given} onInput={(event) => setGiven(event.currentTarget.value)} />{" "}
      <button class="primary">Sign in</button>
    </form>
  );
}
