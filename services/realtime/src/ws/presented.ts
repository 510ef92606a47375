/** Credentials of an upgrade request. */
export type Presented = {
  authorizationToken: string | undefined
  cookieHandle: string | undefined
  /** Its origin address. */
  address: string
}
