import { effectiveSettings, publicKeyOf } from '@parley/config'
import { readGivenPush } from '../settings.ts'

/** Who sends pushes, and who tells browsers the public key. */
const needsKeys = new Map([
  ['notifications', { isSender: true }],
  ['admin', { isSender: false }],
])

/** For a server that nobody else is told of. */
const subject = 'mailto:push@parley.invalid'

/** Whether the environment or the file say anything of push: then the supervisor adds nothing. */
export function isPushGiven(env: NodeJS.ProcessEnv): boolean {
  return effectiveSettings(readGivenPush, { env }).some(
    ({ source }) => !['default', 'not set', 'missing'].includes(source),
  )
}

/** What a service is told of push. */
export function pushEnvironment(service: string, privateKey: string): NodeJS.ProcessEnv {
  const { isSender } = needsKeys.get(service) ?? {}
  if (isSender === undefined) return {}
  return {
    PARLEY_PUSH_ENABLED: 'true',
    PARLEY_PUSH_VAPID_PUBLIC_KEY: publicKeyOf(privateKey),
    ...(isSender ? { PARLEY_PUSH_VAPID_PRIVATE_KEY: privateKey, PARLEY_PUSH_VAPID_SUBJECT: subject } : {}),
  }
}
