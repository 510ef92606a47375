import {
  assetsFields,
  authProviderFields,
  busFields,
  coreFields,
  databaseFields,
  defineConfig,
  duration,
  int,
  list,
  processFields,
  redisFields,
  registrationFields,
} from '@parley/config'
import { emailCodeFields, mailFields } from './engines/mail/settings.ts'

const { secretKey, previousSecretKey } = coreFields()

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('accounts'),
  ...redisFields(),
  ...assetsFields(),
  ...authProviderFields(),
  ...registrationFields(),
  ...mailFields,
  ...emailCodeFields,
  secretKey,
  previousSecretKey,
  tokenTtlMs: duration('PARLEY_AUTH_TOKEN_TTL', {
    toml: 'auth.token_ttl',
    default: '90d',
    doc: 'Lifetime of bearer tokens and browser sessions; it is extended while they are used.',
  }),
  ownerEmails: list('PARLEY_OWNERS_EMAILS', {
    toml: 'owners.emails',
    default: [],
    doc: 'E-mail addresses; an account that verifies one of them becomes an owner.',
  }),
  moreOwnerEmails: list('PARLEY_OWNER_EMAIL', {
    default: [],
    doc: 'Addresses in addition to those of owners.emails.',
  }),
  maxUsers: int('PARLEY_LIMITS_MAX_USERS', {
    toml: 'limits.max_users',
    default: -1,
    min: -1,
    doc: 'Maximum number of accounts on this server; -1: no limit.',
  }),
  erasurePassAfterMs: duration('PARLEY_ACCOUNTS_ERASURE_PASS_AFTER', {
    default: '15s',
    doc: 'Time from one erasure pass for a deleted account to the next; from the sixth pass on it doubles with each pass, up to an hour.',
  }),
  hashingsAtOnce: int('PARLEY_ACCOUNTS_HASHINGS_AT_ONCE', {
    default: 0,
    min: 0,
    doc: 'Maximum number of passwords that one process hashes concurrently; 0: one per core.',
  }),
})

export type Config = ReturnType<typeof readConfig>
