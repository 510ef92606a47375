CREATE TABLE "blobs" (
	"id" text PRIMARY KEY NOT NULL,
	"caller_id" text NOT NULL,
	"nonce" text NOT NULL,
	"size" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "blobs_nonce_unique" UNIQUE("nonce")
);
--> statement-breakpoint
CREATE TABLE "server_image_claims" (
	"owner_id" text NOT NULL,
	"kind" text NOT NULL,
	"key" text,
	"version" bigint NOT NULL,
	CONSTRAINT "server_image_claims_owner_id_kind_pk" PRIMARY KEY("owner_id","kind")
);
--> statement-breakpoint
CREATE TABLE "server_images" (
	"key" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"kind" text NOT NULL,
	"size" integer NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"digest" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"claimed" boolean DEFAULT false NOT NULL,
	"doomed" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE INDEX "blobs_created" ON "blobs" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "server_images_of_owner" ON "server_images" USING btree ("owner_id","kind");--> statement-breakpoint
CREATE INDEX "server_images_unclaimed" ON "server_images" USING btree ("created_at") WHERE not claimed and not doomed;--> statement-breakpoint
CREATE INDEX "server_images_doomed" ON "server_images" USING btree ("key") WHERE doomed;