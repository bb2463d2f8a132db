#ifndef CEDAR_PERF_PEERS_GGML_H_
#define CEDAR_PERF_PEERS_GGML_H_

// The few C functions of llama.cpp's libraries that the comparison calls, as release v0.5.0 exports
// them. Declared here because the npm package that has the libraries has no headers.

#include <cstddef>
#include <cstdint>

extern "C" {

struct ggml_tensor;
struct ggml_context;
struct ggml_cgraph;
struct ggml_init_params {
  size_t mem_size;
  void* mem_buffer;
  bool no_alloc;
};

enum ggml_type : int {
  GGML_TYPE_F32 = 0,
  GGML_TYPE_F16 = 1,
  GGML_TYPE_Q8_0 = 8,
  GGML_TYPE_I32 = 26,
  GGML_TYPE_MXFP4 = 39,
};

// ---- libggml-base ----
void ggml_log_set(void (*log)(int level, const char* text, void* user), void* user);
ggml_context* ggml_init(ggml_init_params params);
void ggml_free(ggml_context* context);
ggml_tensor* ggml_new_tensor(ggml_context* context, ggml_type type, int dimensions,
                             const int64_t* sizes);
ggml_tensor* ggml_set_name(ggml_tensor* tensor, const char* name);
size_t ggml_nbytes(const ggml_tensor* tensor);
ggml_tensor* ggml_mul_mat(ggml_context* context, ggml_tensor* w, ggml_tensor* x);
ggml_tensor* ggml_mul_mat_id(ggml_context* context, ggml_tensor* w, ggml_tensor* x,
                             ggml_tensor* ids);
ggml_tensor* ggml_soft_max_ext(ggml_context* context, ggml_tensor* x, ggml_tensor* mask,
                               float scale, float max_bias);
ggml_tensor* ggml_flash_attn_ext(ggml_context* context, ggml_tensor* q, ggml_tensor* k,
                                 ggml_tensor* v, ggml_tensor* mask, float scale, float max_bias,
                                 float softcap);
ggml_cgraph* ggml_new_graph_custom(ggml_context* context, size_t size, bool grads);
void ggml_build_forward_expand(ggml_cgraph* graph, ggml_tensor* tensor);

void* ggml_backend_alloc_ctx_tensors(ggml_context* context, void* backend);
void* ggml_backend_alloc_ctx_tensors_from_buft(ggml_context* context, void* buffer_type);
void ggml_backend_buffer_free(void* buffer);
void ggml_backend_tensor_set(ggml_tensor* tensor, const void* data, size_t offset, size_t size);
int ggml_backend_graph_compute(void* backend, ggml_cgraph* graph);
const char* ggml_backend_buft_name(void* buffer_type);
void* ggml_backend_dev_backend_reg(void* device);
void* ggml_backend_dev_init(void* device, const char* params);
void* ggml_backend_dev_buffer_type(void* device);
void* ggml_backend_reg_get_proc_address(void* registry, const char* name);

struct gguf_context;
gguf_context* gguf_init_empty();
void gguf_add_tensor(gguf_context* file, const ggml_tensor* tensor);
bool gguf_write_to_file(const gguf_context* file, const char* path, bool only_meta);
size_t gguf_get_meta_size(const gguf_context* file);
int64_t gguf_find_tensor(const gguf_context* file, const char* name);
size_t gguf_get_tensor_offset(const gguf_context* file, int64_t id);
void gguf_set_val_u32(gguf_context* file, const char* key, uint32_t value);
void gguf_set_val_f32(gguf_context* file, const char* key, float value);
void gguf_set_val_bool(gguf_context* file, const char* key, bool value);
void gguf_set_val_str(gguf_context* file, const char* key, const char* value);
void gguf_set_arr_data(gguf_context* file, const char* key, int type, const void* data, size_t n);

// ---- libggml ----
// Picks the library for this CPU among those in the folder.
void ggml_backend_load_all_from_path(const char* folder);
void* ggml_backend_dev_by_type(int type);  // 0: the CPU

// ---- libllama ----
// The real parameter structs are smaller than this and go through memory; who sets a member checks
// the defaults first, so that another layout is refused.
struct llama_params {
  uint32_t words[128];
};
struct llama_batch {
  int32_t n_tokens;
  int32_t* token;
  float* embd;
  int32_t* pos;
  int32_t* n_seq_id;
  int32_t** seq_id;
  int8_t* logits;
};
void llama_log_set(void (*log)(int level, const char* text, void* user), void* user);
void llama_backend_init();
llama_params llama_model_default_params();
llama_params llama_context_default_params();
void* llama_model_load_from_file(const char* path, llama_params params);
void* llama_init_from_model(void* model, llama_params params);
llama_batch llama_batch_get_one(int32_t* tokens, int32_t n);
int32_t llama_decode(void* context, llama_batch batch);
void llama_synchronize(void* context);
float* llama_get_logits_ith(void* context, int32_t i);
void* llama_get_memory(void* context);
void llama_memory_clear(void* memory, bool data);
}

#endif  // CEDAR_PERF_PEERS_GGML_H_
