import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('programs/relay.ts', import.meta.url))

/** A relay in a process of its own. */
export type RelayProcess = AsyncDisposable & {
  /** kill -9 */
  kill(): Promise<void>
  freeze(): void
  thaw(): void
}

export async function forkRelay(databaseUrl: string, natsUrl: string, service: string): Promise<RelayProcess> {
  const child: ChildProcess = fork(program, [databaseUrl, natsUrl, service], {
    // Where tsx is found.
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, PARLEY_GENERAL_LOG_LEVEL: 'silent' },
  })
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (message !== 'ready') throw new Error('the relay did not start')
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    kill,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    [Symbol.asyncDispose]: kill,
  }
}
