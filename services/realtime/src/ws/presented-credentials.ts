/** Credentials of an upgrade request. */
export type PresentedCredentials = {
  authorizationToken: string | undefined
  cookieHandle: string | undefined
  /** Address of the client. */
  address: string
}
