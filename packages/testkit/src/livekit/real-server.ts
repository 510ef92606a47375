import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findLivekit, freePort, startLivekit } from '@parley/local/infrastructure'

export type TestLivekit = AsyncDisposable & {
  url: string
  apiKey: string
  apiSecret: string
  /** Target of its webhooks: `/webhooks/livekit` on this loopback port. */
  webhookPort: number
}

/** Starts the real LiveKit server on free ports. Undefined when its program is not on PATH; nothing is installed. */
export async function testLivekit(): Promise<TestLivekit | undefined> {
  if (findLivekit() === undefined) return undefined
  const dir = await mkdtemp(join(tmpdir(), 'parley-livekit-'))
  const keys = { apiKey: 'test', apiSecret: 'the secret of a media server for tests' }
  const webhookPort = await freePort()
  const webhookUrls = [`http://127.0.0.1:${webhookPort}/webhooks/livekit`]
  const server = await startLivekit({ dir, ...keys, webhookUrls })
  return {
    ...{ url: server.url, ...keys, webhookPort },
    async [Symbol.asyncDispose]() {
      await server.stop()
      await rm(dir, { recursive: true })
    },
  }
}
