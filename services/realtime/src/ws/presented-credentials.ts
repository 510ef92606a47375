/** Of an upgrade request. */
export type PresentedCredentials = {
  authorizationToken: string | undefined
  cookieHandle: string | undefined
  address: string
}
