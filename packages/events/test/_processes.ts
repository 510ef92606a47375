import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const forkRelay = (databaseUrl: string, natsUrl: string, service: string) =>
  forkProgram('relay.ts', [databaseUrl, natsUrl, service])

/** Starts a program of the folder `programs`; resolves when it reports that it is ready. */
export async function forkProgram(name: string, args: string[]) {
  const child: ChildProcess = fork(fileURLToPath(new URL(`programs/${name}`, import.meta.url)), args, {
    execArgv: ['--import', import.meta.resolve('@parley/tooling/run-bundled')],
    env: { ...process.env, PARLEY_GENERAL_LOG_LEVEL: 'silent' },
  })
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (message !== 'ready') throw new Error(`${name} did not start`)
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    /** With SIGKILL; waits for the end. */
    kill,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    [Symbol.asyncDispose]: kill,
  }
}
