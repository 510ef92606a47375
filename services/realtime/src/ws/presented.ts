/** Credentials of an upgrade request. */
export type Presented = {
  authorizationToken: string | undefined
  cookieHandle: string | undefined
  /** Address of the client. */
  address: string
}
