import { effectiveSettings, publicKeyOf } from '@parley/config'
import { readPushSettings } from '../settings.ts'

const keyUsers = new Map([
  ['notifications', { isSender: true }],
  ['admin', { isSender: false }],
])

const subject = 'mailto:push@parley.invalid'

/** True if the environment or parley.toml configures push; then the supervisor adds nothing. */
export function isPushConfigured(env: NodeJS.ProcessEnv): boolean {
  return effectiveSettings(readPushSettings, { env }).some(
    ({ source }) => !['default', 'not set', 'missing'].includes(source),
  )
}

export function pushEnvironment(service: string, privateKey: string): NodeJS.ProcessEnv {
  const { isSender } = keyUsers.get(service) ?? {}
  if (isSender === undefined) return {}
  return {
    PARLEY_PUSH_ENABLED: 'true',
    PARLEY_PUSH_VAPID_PUBLIC_KEY: publicKeyOf(privateKey),
    ...(isSender ? { PARLEY_PUSH_VAPID_PRIVATE_KEY: privateKey, PARLEY_PUSH_VAPID_SUBJECT: subject } : {}),
  }
}
