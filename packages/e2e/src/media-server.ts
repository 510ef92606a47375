import { freePort } from '@parley/local/infrastructure'
import { FakeLivekit } from '@parley/testkit/livekit'
import { fleet } from './fleet.ts'

const portVariable = 'PARLEY_E2E_LIVEKIT_PORT'

export async function mediaServerSettings(): Promise<NodeJS.ProcessEnv> {
  const port = await freePort()
  process.env[portVariable] = String(port)
  const { apiKey, apiSecret } = new FakeLivekit()
  return {
    PARLEY_LIVEKIT_ENABLED: 'true',
    PARLEY_LIVEKIT_URL: `ws://127.0.0.1:${port}`,
    PARLEY_LIVEKIT_API_KEY: apiKey,
    PARLEY_LIVEKIT_API_SECRET: apiSecret,
  }
}

/** The fake media server sends its webhooks to one of the gateways. */
export async function startMediaServer(): Promise<FakeLivekit> {
  const livekit = await FakeLivekit.start(Number(process.env[portVariable]))
  livekit.webhookUrl = `${fleet().gateways[0]}/webhooks/livekit`
  return livekit
}
