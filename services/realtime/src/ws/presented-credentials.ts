/** Credentials of an upgrade request, and the address of its client. */
export type PresentedCredentials = {
  authorizationToken: string | undefined
  cookieHandle: string | undefined
  address: string
}
