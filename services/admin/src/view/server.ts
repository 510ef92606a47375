import { create } from '@bufbuild/protobuf'
import { ServerConfigSchema, type ServerConfig } from '@parley/contracts/admin'
import {
  ServerLoginSchema,
  ServerPublicProfileSchema,
  ServerRuntimeConfigSchema,
  type ServerLogin,
  type ServerPublicProfile,
  type ServerRuntimeConfig,
} from '@parley/contracts/api'
import { issuerOf } from '@parley/credentials'
import { serverImageUrl, type ServerImageSize } from '@parley/signed-urls'
import { serverVersion } from '@parley/telemetry'
import type { Config } from '../config.ts'
import type { ServerProfileRow } from '../store/server-profile.ts'

const logoSize = { width: 256, height: 256, fit: 'cover' } as const
const bannerSize = { width: 1200, height: 630, fit: 'cover' } as const

const defaultName = 'Parley'
const defaultDescription = 'A place to talk with your team.'

export const toServerName = ({ name }: ServerProfileRow): string => name ?? defaultName

export function toPublicProfile(row: ServerProfileRow, config: Config): ServerPublicProfile {
  return create(ServerPublicProfileSchema, {
    name: toServerName(row),
    version: serverVersion,
    description: row.description ?? defaultDescription,
    ...(row.logoKey !== null && { logoUrl: imageUrl(config, row.logoKey, logoSize) }),
    ...(row.bannerKey !== null && { bannerUrl: imageUrl(config, row.bannerKey, bannerSize) }),
    ...(row.welcomeMessage !== null && { welcomeMessage: row.welcomeMessage }),
  })
}

export function toServerConfig({ name, description, motd, welcomeMessage }: ServerProfileRow): ServerConfig {
  return create(ServerConfigSchema, {
    serverName: name ?? '',
    description: description ?? '',
    motd: motd ?? '',
    welcomeMessage: welcomeMessage ?? '',
  })
}

const imageUrl = (config: Config, key: string, size: ServerImageSize) =>
  serverImageUrl({ publicUrl: config.publicUrl, signingSecret: config.assetsSigningSecret }, key, size)

export function toServerLogin(config: Config): ServerLogin {
  return create(ServerLoginSchema, {
    directRegistrationEnabled: config.directRegistration,
    providers: config.providers.map(({ id, type, label }) => ({
      id,
      type,
      label,
      loginUrl: `/auth/providers/${encodeURIComponent(id)}`,
    })),
    authorizeUrl: '/oauth/authorize',
    issuer: issuerOf(config.publicUrl),
  })
}

export function toRuntimeConfig(config: Config): ServerRuntimeConfig {
  return create(ServerRuntimeConfigSchema, {
    pushNotificationsEnabled: config.push !== undefined,
    ...(config.push && { vapidPublicKey: config.push.publicKey }),
    ...(config.livekitUrl !== undefined && { livekitUrl: config.livekitUrl }),
    videoProcessingEnabled: config.videoEnabled,
    maxUploadSize: BigInt(config.maxUploadBytes),
    maxVideoUploadSize: BigInt(config.maxVideoUploadBytes),
    messageEditWindowSeconds: Math.floor(config.editWindowMs / 1000),
  })
}
