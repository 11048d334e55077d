-- What the links to the portal of a webhook are signed with, besides: raised to revoke all of them.
ALTER TABLE webhooks ADD COLUMN portal_round BIGINT NOT NULL DEFAULT 0;
