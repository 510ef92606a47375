import { TwirpError } from 'livekit-server-sdk'
import { livekitFields } from '@parley/config'
import { check, portOf, reasonOf, reportServerCertificate } from '@parley/doctor'
import { MediaServer } from './media-server.ts'

export const mediaServerCheck = check('livekit', livekitFields(), async ({ livekit }, report) => {
  if (livekit === undefined) return report.ok('livekit', 'calls are off')
  const url = new URL(livekit.url)
  if (/^(https|wss):$/.test(url.protocol))
    await reportServerCertificate(report, 'livekit.certificate', { host: url.hostname, port: portOf(url) })
  try {
    await new MediaServer(livekit).listRooms()
    report.ok('livekit.server', `${url.host} accepts key and secret`)
  } catch (error) {
    const denied = error instanceof TwirpError && /unauthenticated|permission_denied/.test(error.code ?? '')
    report.fail(
      'livekit.server',
      `${url.host} cannot be used: ${reasonOf(error)}`,
      denied
        ? 'Correct PARLEY_LIVEKIT_API_KEY and PARLEY_LIVEKIT_API_SECRET: the pair must be listed under `keys` in the configuration of the LiveKit server. Clocks that differ by more than a few minutes have the same effect.'
        : 'Start LiveKit, or correct PARLEY_LIVEKIT_URL; check that no firewall blocks the connection.',
    )
  }
})
