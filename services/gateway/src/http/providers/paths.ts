/** An empty id means the only OIDC provider. */
export type ProviderPath = { providerId: string; callback: boolean }

const pattern = /^\/auth\/(?:oidc|providers\/([^/]+))(\/callback)?$/

export function providerPath(path: string): ProviderPath | undefined {
  const match = pattern.exec(path)
  if (!match) return undefined
  const [, id = '', callback] = match
  try {
    return { providerId: decodeURIComponent(id), callback: callback !== undefined }
  } catch {
    return undefined
  }
}
