import { authProviderFields } from '@parley/config'
import { check, portOf, reasonOf, reportServerCertificate } from '@parley/doctor'
import { Discovery } from './discovery.ts'

export const providersCheck = check('providers', authProviderFields(), async ({ providers }, report, signal) => {
  if (providers.length === 0) return report.ok('providers', 'no sign-in providers are configured')
  const oidcProviders = providers.flatMap(({ issuerUrl, ...rest }) =>
    issuerUrl === undefined ? [] : [{ ...rest, issuerUrl }],
  )
  await Promise.all(
    oidcProviders.map(async (settings) => {
      const name = `providers.${settings.id}`
      const url = new URL(settings.issuerUrl)
      try {
        await new Discovery(settings, () => new Date()).configuration(signal)
        report.ok(name, `the OpenID Connect metadata of ${settings.issuerUrl} can be read`)
      } catch (error) {
        const { cause } = error instanceof Error ? error : {}
        const reason = cause instanceof Error ? `${reasonOf(error)}: ${reasonOf(cause)}` : reasonOf(error)
        report.fail(
          name,
          `the metadata of ${settings.issuerUrl} cannot be read: ${reason}`,
          `Open ${settings.issuerUrl.replace(/\/$/, '')}/.well-known/openid-configuration from this machine; issuer_url must equal the issuer in that document exactly.`,
        )
      }
      if (url.protocol === 'https:')
        await reportServerCertificate(report, `${name}.certificate`, { host: url.hostname, port: portOf(url) })
    }),
  )
  for (const { id, type } of providers.filter(({ issuerUrl }) => issuerUrl === undefined))
    report.ok(`providers.${id}`, `${type} has no metadata to check`)
})
