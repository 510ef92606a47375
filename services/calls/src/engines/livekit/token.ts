import { AccessToken } from 'livekit-server-sdk'
import type { LivekitSettings } from '@parley/config'
import type { User } from '@parley/contracts/api'
import { tokenLifeMs } from '../../domain/limits.ts'

export function makeToken(
  { apiKey, apiSecret }: LivekitSettings,
  user: User,
  { callId, mediaRoom }: { callId: string; mediaRoom: string },
): Promise<string> {
  const metadata = JSON.stringify({ login: user.login, avatarUrl: user.avatarUrl ?? '', callId })
  const token = new AccessToken(apiKey, apiSecret, {
    ...{ identity: user.id, name: user.displayName, metadata, ttl: tokenLifeMs / 1000 },
  })
  token.addGrant({ roomJoin: true, room: mediaRoom })
  return token.toJwt()
}
