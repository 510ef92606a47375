import type { SecretKeys } from '@parley/credentials'
import type { Context } from '../../context.ts'

/** The keys for looking up a secret, and the current time. */
export type Asking = SecretKeys & { at: Date }

export function asking({ config, now }: Pick<Context, 'config' | 'now'>, at = now()): Asking {
  const { secretKey, previousSecretKey } = config
  return { secretKey, previousSecretKey, at }
}
