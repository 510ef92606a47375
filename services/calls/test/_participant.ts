import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

type ConnectOptions = { url: string; token: string; e2eeKey: string; role: 'speak' | 'listen' }

export async function connectParticipant({ url, token, e2eeKey, role }: ConnectOptions) {
  const program = fileURLToPath(new URL('programs/participant.ts', import.meta.url))
  const child = fork(program, [url, token, e2eeKey, role], {
    execArgv: ['--import', import.meta.resolve('@parley/tooling/run-bundled')],
  })
  const exited = once(child, 'exit')
  /** For each fifth of a second of received audio, how much of it is the tone: from 0 to 1. */
  const toneShares: number[] = []
  const connection = { subscribed: false, disconnected: false }
  child.on('message', (message: { tone?: number; subscribed?: true; disconnected?: true } | 'ready') => {
    if (typeof message === 'string') return
    const { tone, ...state } = message
    if (tone !== undefined) toneShares.push(tone)
    Object.assign(connection, state)
  })
  const [first] = (await Promise.race([once(child, 'message'), exited])) as unknown[]
  if (first !== 'ready') throw new Error('the participant could not connect')
  return {
    toneShares,
    isSubscribed: () => connection.subscribed,
    isDisconnected: () => connection.disconnected,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
