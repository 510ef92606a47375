import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, startChild, whenReady } from './child.ts'
import { findExecutable } from './executables.ts'
import { freePort } from './ports.ts'
import type { ServerOptions } from './server-options.ts'

const program = 'livekit-server'

export type Livekit = Child & {
  url: string
}

export type LivekitOptions = ServerOptions & {
  apiKey: string
  apiSecret: string
  webhookUrls: readonly string[]
  /** Ports for audio and video; free ones by default. */
  mediaPorts?: { tcp: number; udp: number }
}

/** Returns undefined if the program is not installed. Parley never installs it. */
export const findLivekit = (): string | undefined => findExecutable(program)

export const livekitUrl = (port: number): string => `ws://127.0.0.1:${port}`

/** Throws if the program is not found or does not answer. */
export async function startLivekit(options: LivekitOptions): Promise<Livekit> {
  const command = findLivekit()
  if (command === undefined) throw new Error(`${program} is not on PATH`)
  mkdirSync(options.dir, { recursive: true, mode: 0o700 })
  const port = options.port || (await freePort())
  const { tcp, udp } = options.mediaPorts ?? { tcp: await freePort(), udp: await freePort() }
  const child = await startChild({
    name: 'LiveKit',
    command,
    args: ['--bind', '127.0.0.1', '--node-ip', '127.0.0.1'],
    cwd: options.dir,
    logFile: options.logFile ?? join(options.dir, 'server.log'),
    pidFile: options.pidFile ?? join(options.dir, 'server.pid'),
    env: {
      PATH: process.env.PATH,
      LIVEKIT_CONFIG: JSON.stringify({
        port,
        rtc: { tcp_port: tcp, udp_port: udp, use_external_ip: false, enable_loopback_candidate: true },
        keys: { [options.apiKey]: options.apiSecret },
        webhook: { api_key: options.apiKey, urls: options.webhookUrls },
        logging: { level: 'warn' },
      }),
    },
    // After SIGTERM LiveKit waits for its participants, so it may have to be killed.
    stopSignals: ['SIGTERM'],
    stopTimeoutMs: 2_000,
  })
  const isAnswering = () =>
    fetch(`http://127.0.0.1:${port}`).then(
      ({ ok }) => ok,
      () => false,
    )
  await whenReady(child, 'LiveKit', isAnswering)
  return { ...child, url: livekitUrl(port) }
}
