/** The person's auth token, fetched by the application. */

export type FetchToken = () => string | Promise<string>;

/** Has the token, and fetches another after it was refused; one fetch at a time. */
export class Tokens {
  private token: string | undefined;
  private fetching: Promise<string> | undefined;

  constructor(private readonly fetchToken: FetchToken) {}

  /** Whether the next `get` fetches one. */
  get isNew(): boolean {
    return this.token === undefined;
  }

  /** Returns the token. Rejects with what the application's function rejects with. */
  async get(): Promise<string> {
    if (this.token !== undefined) return this.token;
    this.fetching ??= this.fetch();
    return this.fetching;
  }

  /** Fetches another token; the one that is there is used meanwhile. */
  async renew(): Promise<string> {
    this.fetching ??= this.fetch();
    return this.fetching;
  }

  /** Forgets a token that was refused, if it is still the one. */
  drop(token: string): void {
    if (this.token === token) this.token = undefined;
  }

  private async fetch(): Promise<string> {
    try {
      return (this.token = await this.fetchToken());
    } finally {
      this.fetching = undefined;
    }
  }
}
