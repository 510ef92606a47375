import type { SecretKeys } from '@parley/credentials'
import type { Context } from '../../context.ts'

/** What secrets are looked up with, and the moment of asking. */
export type Asking = SecretKeys & { at: Date }

export function asking({ config, now }: Pick<Context, 'config' | 'now'>, at = now()): Asking {
  const { secretKey, previousSecretKey } = config
  return { secretKey, previousSecretKey, at }
}
