ALTER TABLE "assets" ADD COLUMN "lost" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "server_images" ADD COLUMN "lost" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "small_chunks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "assets_pending_of_owner" ON "assets" USING btree ("owner_id") WHERE not posted and not doomed;