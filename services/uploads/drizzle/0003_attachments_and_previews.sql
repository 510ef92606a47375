CREATE TABLE "assets" (
	"id" text PRIMARY KEY NOT NULL,
	"room_id" text NOT NULL,
	"owner_id" text NOT NULL,
	"filename" text NOT NULL,
	"content_type" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"claim_event_id" text,
	"claimed_at" timestamp with time zone,
	"posted" boolean DEFAULT false NOT NULL,
	"doomed" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "link_previews" (
	"id" text PRIMARY KEY NOT NULL,
	"url_digest" "bytea" NOT NULL,
	"preview" "bytea",
	"image_key" text,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "preview_uses" (
	"image_key" text NOT NULL,
	"message_event_id" text NOT NULL,
	"author_id" text NOT NULL,
	"ended" boolean NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "preview_uses_image_key_message_event_id_pk" PRIMARY KEY("image_key","message_event_id")
);
--> statement-breakpoint
CREATE TABLE "upload_chunks" (
	"upload_id" text NOT NULL,
	"position" bigint NOT NULL,
	"key" text NOT NULL,
	CONSTRAINT "upload_chunks_upload_id_position_pk" PRIMARY KEY("upload_id","position")
);
--> statement-breakpoint
CREATE TABLE "upload_keys" (
	"caller_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"response" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "upload_keys_caller_id_key_pk" PRIMARY KEY("caller_id","key")
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"room_id" text NOT NULL,
	"filename" text NOT NULL,
	"content_type" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"committed" bigint DEFAULT 0 NOT NULL,
	"asset_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "assets_owner" ON "assets" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "assets_waiting" ON "assets" USING btree ("created_at") WHERE not posted and not doomed;--> statement-breakpoint
CREATE INDEX "assets_doomed" ON "assets" USING btree ("id") WHERE doomed;--> statement-breakpoint
CREATE INDEX "link_previews_address" ON "link_previews" USING btree ("url_digest","expires_at");--> statement-breakpoint
CREATE INDEX "link_previews_image" ON "link_previews" USING btree ("image_key");--> statement-breakpoint
CREATE INDEX "link_previews_expiry" ON "link_previews" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "preview_uses_author" ON "preview_uses" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "preview_uses_ended" ON "preview_uses" USING btree ("changed_at") WHERE ended;--> statement-breakpoint
CREATE INDEX "upload_keys_age" ON "upload_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "uploads_expiry" ON "uploads" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "uploads_owner" ON "uploads" USING btree ("owner_id");