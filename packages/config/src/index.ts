export {
  authProviderFields,
  authProviderTypes,
  type AuthProvider,
  type AuthProviderType,
  type ProviderOptions,
} from './auth-providers.ts'
export { defineConfig, redact, type ConfigOf, type Fields, type ReadConfig, type Sources } from './define.ts'
export { describe, type SettingRow } from './describe.ts'
export { effectiveSettings, type EffectiveSetting } from './effective.ts'
export { ConfigError } from './error.ts'
export { SettingError, SettingErrors, type Field, type FieldOptions, type LoadedSources } from './field.ts'
export {
  assetsFields,
  busFields,
  outboundFields,
  clientNetworkFields,
  cookieFields,
  coreFields,
  databaseFields,
  editFields,
  logLevels,
  originFields,
  processFields,
  publicUrlField,
  redisFields,
  registrationFields,
  uploadFields,
  videoFields,
} from './groups.ts'
export { readField } from './read-field.ts'
export { livekitAddressFields, livekitFields, type LivekitSettings } from './livekit.ts'
export { secretsIn, withoutSecrets } from './secrets.ts'
export { bool, bytes, duration, int, list, oneOf, port, secret, str, timerDuration, url } from './kinds.ts'
export { newVapidKeys, publicKeyOf, pushFields, pushOfferFields, type PushSettings } from './push.ts'
