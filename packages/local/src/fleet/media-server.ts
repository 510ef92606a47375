import { findLivekit, livekitUrl, startLivekit } from '../infrastructure/index.ts'
import type { CleanUp } from './clean-up.ts'
import { RememberedPorts } from './remembered-ports.ts'
import { filesOf, startAndRestart, type ServersOptions } from './servers.ts'

const apiKey = 'parley'

export async function startMediaServer(
  { dir, secrets, say }: Pick<ServersOptions, 'dir' | 'secrets' | 'say'>,
  webhookUrl: string,
  cleanUp: CleanUp,
): Promise<NodeJS.ProcessEnv | undefined> {
  if (findLivekit() === undefined) {
    say('voice and video calls are off: livekit-server is not on PATH, and no other media server is configured')
    return undefined
  }
  const ports = new RememberedPorts(dir.portsFile)
  const port = await ports.get('livekit')
  const mediaPorts = { tcp: await ports.get('livekit.tcp'), udp: await ports.get('livekit.udp') }
  const apiSecret = secrets.get('livekit')
  const options = { dir: dir.run, port, mediaPorts, apiKey, apiSecret, webhookUrls: [webhookUrl] }
  const server = await startAndRestart(
    'LiveKit',
    () => startLivekit({ ...options, ...filesOf(dir, 'livekit', say) }),
    say,
  )
  cleanUp.push(() => server.stop())
  return settingsOf(server.first.url, apiSecret)
}

export function knownMediaServer(port: number, apiSecret: string | undefined): NodeJS.ProcessEnv | undefined {
  if (port === 0 || apiSecret === undefined || findLivekit() === undefined) return undefined
  return settingsOf(livekitUrl(port), apiSecret)
}

const settingsOf = (url: string, apiSecret: string): NodeJS.ProcessEnv => ({
  PARLEY_LIVEKIT_ENABLED: 'true',
  PARLEY_LIVEKIT_URL: url,
  PARLEY_LIVEKIT_API_KEY: apiKey,
  PARLEY_LIVEKIT_API_SECRET: apiSecret,
})
